// Drives an engine through the generated client alone: node use_client.js URL TOKEN. Exit 0 when all is as expected.
import { strict as assert } from 'node:assert';
import { client } from './client/client.gen.js';
import {
  cancelQueue, createQueue, deleteQueue, getHealth, getJob, getQueue, getSession, getStdout, getVersion, listJobs,
  listJobsInQueue, listQueues, listWorkers, postJob, retireJob, submitJobs, submitJobsInQueue,
} from './client/sdk.gen.js';

const [url, token] = process.argv.slice(2);
assert(url && token, 'usage: node use_client.js URL TOKEN');
client.setConfig({ baseUrl: url, auth: token });

async function data<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data: value, error } = await answer;
  assert(value !== undefined, `refused: ${JSON.stringify(error)}`);
  return value;
}

assert.equal((await data(getHealth())).healthy, true);
assert.equal((await data(getVersion())).name, 'yardmaster');
assert.equal((await data(getSession())).state, 'ready');
assert.deepEqual((await data(listWorkers())).workers, []);

// One action, waited for.
const action = { worker: 'exec', argv: ['echo', 'hello'], label: 'generated' };
const done = await data(submitJobs({ body: action, query: { wait: 60 } }));
assert('state' in done, 'a result');
assert.equal(done.state, 'completed');
assert.equal(done.exit_code, 0);
const out = await data(getStdout({ path: { lsn: done.lsn }, parseAs: 'text' }));
assert.equal(String(out), 'hello\n');
const listed = await data(listJobs({ query: { label: 'generated' } }));
assert.deepEqual(listed.jobs.map((job) => job.lsn), [done.lsn]);

// A repeat with the same key is answered like the first.
const headers = { 'Idempotency-Key': 'generated-1' };
const first = await data(submitJobs({ body: action, headers }));
assert.deepEqual(await data(submitJobs({ body: action, headers })), first);

// A queue of its own, a list, a failure and its reschedule.
const queue = await data(createQueue({ body: { tag: 'generated', config: { max_retries: 0 } } }));
assert.equal(queue.config.max_retries, 0);
const ref = String(queue.queue_id);
const list = await data(submitJobsInQueue({ path: { ref }, body: [action, { worker: 'exec', argv: ['false'] }] }));
assert('lsns' in list && list.lsns.length === 2);
for (const lsn of list.lsns) {
  const job = await data(getJob({ path: { lsn }, query: { wait: 60 } }));
  assert(job.state === 'completed' || job.reason === 'exit_code');
}
const failed = list.lsns[1]!;
const again = await data(postJob({ path: { lsn: failed }, body: { force: true } }));
assert('retry_count' in again && again.retry_count === 1);
await data(getJob({ path: { lsn: failed }, query: { wait: 60 } }));
assert.equal((await data(getQueue({ path: { ref } }))).failed, 1);
assert.equal((await data(listJobsInQueue({ path: { ref }, query: { limit: 1 } }))).jobs.length, 1);
assert((await data(listQueues())).queues.some((one) => one.queue_id === queue.queue_id));
assert.equal((await data(cancelQueue({ path: { ref } }))).state, 'cancelled');
assert.equal((await data(deleteQueue({ path: { ref } }))).queue_id, queue.queue_id);

// Errors come as described.
assert.equal((await data(retireJob({ path: { lsn: failed } }))).lsn, failed);
const { error } = await getJob({ path: { lsn: failed } });
assert(error && error.error === 'not_found' && error.message.length > 0);
console.log('the generated client works');

// Yardmaster worker kit for Node: one file, no packages. Put it beside your worker.
//
//     #!/usr/bin/env node
//     const yard = require('./yard_worker.js');
//
//     yard.function('add', (args) => args.a + args.b);
//     yard.run();
//
// The same file serves in both modes of a worker descriptor. "warm": started once, answers requests over the socket in
// YARD_SOCKET_FD. "process": started once for each action, which YARD_ACTION describes; the result is printed. With
// --describe it prints its functions as JSON and ends.
//
// A function gets `args` (the action's) and `job`: `job.lsn`, and `job.inputs` and `job.outputs`, directories, or
// undefined where a warm action has none: see "io" of the descriptor. job.progress(0.4, 'packing') says how far it is. It may be async. What it returns becomes the result (JSON, at most
// 64 KiB). Throw new yard.Fail('what went wrong', 3) to fail with a message and an exit code, an integer from 0 to 255;
// whatever else is thrown fails the action with exit code 1 and is printed with its stack. With run({concurrency: 8}),
// eight async functions are under way at once.
//
// Objects (docs/objects.md of Yardmaster): a function that looks at one object of a type and says what becomes of it. Nothing
// is written here; the engine does that. What it throws is kept with the object, which is looked at again later.
//
//     yard.tick('snapshot', (o) => {
//         if (o.status === 'queued')
//             return o.move('started', {effects: [yard.create('result', {url: o.fields.url}, {key: o.fields.url})]});
//         if (o.children.pending) return o.wait(5);
//         return o.move('sealed');
//     });
//     yard.effect('write_index', (args, objectId, attempt) => { … }); // of yard.call('write_index', {path: '/tmp/index'})
'use strict';

const fs = require('fs');
const net = require('net');

const kMaxResult = 64 * 1024;
const kMaxFrame = 1024 * 1024;
const kMaxMessage = 4000;
const kMaxProgress = 200;
const kProgressEvery = 100; // milliseconds
const functions = new Map();
const ticks = new Map();
const effects = new Map();

class Fail extends Error {
    constructor(message, exitCode = 1) {
        super(message);
        this.exitCode = exitCode;
    }
}

/// `files`: it writes to job.outputs also for actions that name no files.
function add(name, body, version = '1', files = false) {
    functions.set(name, {body, version, files});
}

/// How many children there are by status; `pending` of them have not ended.
class Counts extends Map {
    constructor(counts, pending) {
        super(Object.entries(counts));
        this.pending = pending;
    }
}

/// What one look sees: `id`, `type`, `status`, `fields`, `retries`, `revision`, `key`, `children` (Counts), `parent` (one of these
/// or null), `actions` (what its looks submitted, by their names), `now` and `deadline_s` of this look, and `raw`, all that the
/// engine said.
class Seen {
    constructor(raw, tick = {}) {
        this.raw = raw;
        ({id: this.id, type: this.type, status: this.status, fields: this.fields = {}, key: this.key} = raw);
        ({retries: this.retries = 0, revision: this.revision = 0} = raw);
        this.children = new Counts(tick.children ?? raw.children ?? {}, tick.pending ?? 0);
        this.parent = tick.parent ? new Seen(tick.parent) : null;
        this.actions = tick.actions ?? {};
        ({now: this.now, deadline_s: this.deadline_s} = tick);
    }

    /// Its next status; it is looked at again at once, or in so many seconds.
    move(status, {lookIn, set, effects: after} = {}) {
        return {...this.wait(lookIn, {set, effects: after}), move: status};
    }

    /// It stays as it is for so many seconds, or as long as its type says.
    wait(lookIn, {set, effects: after} = {}) {
        return {
            ...(lookIn !== undefined && {look_in_s: lookIn}), ...(set && {set}), ...(after && after.length > 0 && {effects: after}),
        };
    }
}

/// Looks at objects of that type. The function, which may be async, answers with what o.move() or o.wait() returns; nothing is
/// o.wait().
function tick(type, body) {
    ticks.set(type, body);
}

/// Carries out call(name, …). It is repeated until it succeeds, so it has to be able to run twice. It may be async.
function effect(name, body) {
    effects.set(name, body);
}

/// An effect: a new object, once. The one that is looked at becomes its parent where its type says so.
function create(type, fields = {}, {key, parent, status} = {}) {
    return {
        create: {
            type, fields, ...(key !== undefined && {key}), ...(parent !== undefined && {parent}), ...(status !== undefined && {status}),
        },
    };
}

/// An effect: an action, once. `action` is what POST jobs takes. When it ends the object is due, and looks see what became of it
/// as `o.actions[name]`: {lsn, state, reason, exit_code, note, outputs, result}.
function submit(action, name) {
    return name === undefined ? {submit: action} : {submit: action, as: name};
}

/// An effect: others are due now: numbers of objects, 'parent' or 'children'.
function wake(...whom) {
    return {wake: whom.length === 1 && typeof whom[0] === 'string' ? whom[0] : whom};
}

/// An effect: the function of effect(name) is called by an actor of the type, at least once.
function callLater(name, args = {}) {
    return {call: name, args};
}

// An answer is {code, result, message}: the result as JSON text or undefined, the message as text or undefined. The same
// in both modes.

function succeeded(name, value) {
    if (value === undefined) return {code: 0};
    const text = clean(JSON.stringify(value));
    if (text === undefined || Buffer.byteLength(text) > kMaxResult)
        return failedWith(1, `the result of ${name} is over 64 KiB, or no JSON: write it into a file in job.outputs`);
    return {code: 0, result: text};
}

function failed(error) {
    if (error instanceof Fail) return failedWith(error.exitCode, words(error.message));
    try {
        console.error(error);
    } catch {
        // it cannot be shown: its words must do
    }
    return failedWith(1, words(error));
}

/// Another code would end a warm worker, and be cut to 8 bits in process mode: 256 to a success.
function failedWith(code, message) {
    if (Number.isInteger(code) && code >= 0 && code <= 255) return {code, message};
    const refused = `exit code ${words(code)} is no integer from 0 to 255`;
    return {code: 1, message: message === '' ? refused : `${message} (${refused})`};
}

function words(value) {
    try {
        return String(value);
    } catch {
        return `${typeof value} without words`;
    }
}

/// Half a character, which JSON.stringify() writes as an escape of its own, is no UTF-8.
function clean(json) {
    if (json === undefined || !json.includes('\\ud')) return json;
    return json.replace(/\\(?:(ud[89a-f]..)|.)/g, (escape, half) => (half ? '\ufffd' : escape));
}

/// Ends before a character that would be cut.
function short(message) {
    const bytes = Buffer.from(message);
    if (bytes.length <= kMaxMessage) return bytes.toString();
    return bytes.subarray(0, kMaxMessage).toString().replace(/\ufffd$/, '');
}

/// Calls `done` with the answer: at once where the function is not async, so that a short one costs no turn of the loop.
function call(name, args, job, done) {
    const entry = functions.get(name);
    if (!entry) return done(failedWith(1, `this worker has no function ${JSON.stringify(name)}`));
    let value;
    try {
        value = entry.body(args, job);
        if (!(value instanceof Promise)) value = succeeded(name, value);
    } catch (error) {
        value = failed(error);
    }
    if (!(value instanceof Promise)) return done(value);
    value.then((result) => succeeded(name, result)).catch(failed).then(done);
}

/// Of a job: how far it is, from 0 to 1, and in one line what it does. Of more than ten calls a second the others are passed over.
function progressBy(tell) {
    let next = 0;
    return (fraction, message) => {
        const now = Date.now();
        if (now < next && next - now <= kProgressEvery) return; // a clock that was set back stops nothing
        next = now + kProgressEvery;
        const share = Number(fraction ?? NaN);
        const said = {progress: Number.isNaN(share) ? null : Math.min(Math.max(share, 0), 1)};
        if (message !== undefined) said.message = words(message).slice(0, kMaxProgress);
        tell(clean(JSON.stringify(said)));
    };
}

function tellFile(text) {
    try {
        if (process.env.YARD_STATUS) fs.writeFileSync(process.env.YARD_STATUS, text + '\n');
    } catch {
        // nobody hears it, which is no failure of the action
    }
}

function runOnce(path) {
    const action = JSON.parse(fs.readFileSync(path, 'utf8'));
    process.exitCode = 1; // as long as there is no answer: Node ends where nothing can settle a promise any more
    const job = {lsn: action.lsn, inputs: 'inputs', outputs: 'outputs', progress: progressBy(tellFile)};
    call(action.function, action.args, job, (answer) => {
        if (answer.result !== undefined) console.log(answer.result);
        if (answer.message !== undefined) console.error(answer.message);
        process.exitCode = answer.code;
    });
}

function frameText({code, result, message}) {
    if (result !== undefined) return `{"exit_code":${code},"result":${result}}`;
    return message === undefined ? `{"exit_code":${code}}` : JSON.stringify({exit_code: code, message: short(message)});
}

/// Calls `done` with the text of the answer to what an actor is asked.
function look(request, done) {
    (async () => {
        const value = await looked(request);
        const text = clean(JSON.stringify({...value, exit_code: 0}));
        if (Buffer.byteLength(text) > kMaxFrame - 8) throw new Fail('the answer of a look is over 1 MiB');
        return text;
    })().catch((error) => {
        const answer = failed(error);
        return frameText({...answer, code: answer.code || 1});
    }).then(done);
}

/// What the function says that looks at the object, or carries the effect out.
async function looked(request) {
    if (request.tick === undefined) {
        const carry = effects.get(request.effect);
        if (!carry) throw new Fail(`this worker has no effect ${JSON.stringify(request.effect)}`);
        await carry(request.args, request.object, request.attempt);
        return {};
    }
    const seen = new Seen(request.tick.object, request.tick);
    const body = ticks.get(seen.type);
    if (!body) throw new Fail(`this worker does not look at objects of the type ${JSON.stringify(seen.type)}`);
    const answer = await body(seen) ?? {};
    if (typeof answer !== 'object') throw new Fail('a look answers with what o.move() or o.wait() returns');
    return answer;
}

/// Requests that came and are not begun wait here: at most what the engine may send ahead.
function serve(fd, concurrency, ahead) {
    const socket = new net.Socket({fd, readable: true, writable: true});
    const waiting = [];
    let rest = Buffer.alloc(0);
    let underWay = 0;
    let turning = false;

    const write = (id, text) => {
        const body = Buffer.from(text);
        const frame = Buffer.allocUnsafe(12 + body.length);
        frame.writeUInt32LE(body.length + 8, 0);
        id.copy(frame, 4);
        body.copy(frame, 12);
        socket.write(frame);
    };
    const turn = () => {
        if (turning) return;
        turning = true;
        while (waiting.length > 0 && underWay < concurrency) {
            const {id, text} = waiting.shift();
            const request = JSON.parse(text);
            request.progress = progressBy((said) => write(id, said));
            ++underWay;
            const answered = (answer) => {
                --underWay;
                write(id, answer);
                turn();
            };
            if (request.tick !== undefined || request.effect !== undefined) look(request, answered);
            else call(request.function, request.args, request, (answer) => answered(frameText(answer)));
        }
        turning = false;
    };
    socket.on('data', (data) => {
        rest = rest.length > 0 ? Buffer.concat([rest, data]) : data;
        let at = 0;
        while (rest.length - at >= 12) {
            const length = rest.readUInt32LE(at);
            if (length < 8 || length > kMaxFrame) throw new Error(`the engine sent a frame of ${length} bytes`);
            if (rest.length - at < 4 + length) break;
            waiting.push({id: Buffer.from(rest.subarray(at + 4, at + 12)), text: rest.toString('utf8', at + 12, at + 4 + length)});
            at += 4 + length;
        }
        rest = rest.subarray(at);
        turn();
    });
    socket.on('end', () => process.exit(0));
    socket.on('error', () => process.exit(0)); // the engine ends this worker
    const ready = {ready: true, concurrency};
    if (ahead !== undefined) ready.ahead = ahead;
    write(Buffer.alloc(8), JSON.stringify(ready));
}

function run({concurrency = 1, ahead} = {}) {
    if (process.argv.includes('--describe')) {
        const all = [...functions].map(([name, entry]) => ({
            name, version: entry.version, ...(entry.files && {files: true}),
        }));
        all.sort((a, b) => (a.name < b.name ? -1 : 1));
        if (ticks.size + effects.size > 0 && !functions.has('tick')) all.push({name: 'tick', version: '1'}); // what types name
        console.log(JSON.stringify({functions: all}));
    } else if (process.env.YARD_SOCKET_FD !== undefined) {
        serve(Number(process.env.YARD_SOCKET_FD), concurrency, ahead);
    } else if (process.env.YARD_ACTION !== undefined) {
        runOnce(process.env.YARD_ACTION);
    } else {
        console.error('This is a Yardmaster worker: register it with `yardctl workers add`, or ask it with --describe.');
        process.exitCode = 2;
    }
}

module.exports = {function: add, tick, effect, create, submit, wake, call: callLater, run, Fail};

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
// undefined where a warm action has none: see "io" of the descriptor. It may be async. What it returns becomes the result (JSON, at most
// 64 KiB). Throw new yard.Fail('what went wrong', 3) to fail with a message and an exit code, an integer from 0 to 255;
// whatever else is thrown fails the action with exit code 1 and is printed with its stack. With run({concurrency: 8}),
// eight async functions are under way at once.
'use strict';

const fs = require('fs');
const net = require('net');

const kMaxResult = 64 * 1024;
const kMaxFrame = 1024 * 1024;
const kMaxMessage = 4000;
const functions = new Map();

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

function runOnce(path) {
    const action = JSON.parse(fs.readFileSync(path, 'utf8'));
    process.exitCode = 1; // as long as there is no answer: Node ends where nothing can settle a promise any more
    call(action.function, action.args, {lsn: action.lsn, inputs: 'inputs', outputs: 'outputs'}, (answer) => {
        if (answer.result !== undefined) console.log(answer.result);
        if (answer.message !== undefined) console.error(answer.message);
        process.exitCode = answer.code;
    });
}

function frameText({code, result, message}) {
    if (result !== undefined) return `{"exit_code":${code},"result":${result}}`;
    return message === undefined ? `{"exit_code":${code}}` : JSON.stringify({exit_code: code, message: short(message)});
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
            ++underWay;
            call(request.function, request.args, request, (answer) => {
                --underWay;
                write(id, frameText(answer));
                turn();
            });
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
        console.log(JSON.stringify({functions: all.sort((a, b) => (a.name < b.name ? -1 : 1))}));
    } else if (process.env.YARD_SOCKET_FD !== undefined) {
        serve(Number(process.env.YARD_SOCKET_FD), concurrency, ahead);
    } else if (process.env.YARD_ACTION !== undefined) {
        runOnce(process.env.YARD_ACTION);
    } else {
        console.error('This is a Yardmaster worker: register it with `yardctl workers add`, or ask it with --describe.');
        process.exitCode = 2;
    }
}

module.exports = {function: add, run, Fail};

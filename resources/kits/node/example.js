#!/usr/bin/env node
const fs = require('fs');
const yard = require('./yard_worker.js');

yard.function('add', (args) => args.a + args.b);
yard.function('copy', async (args, job) => {
    for (const name of await fs.promises.readdir(job.inputs))
        await fs.promises.copyFile(`${job.inputs}/${name}`, `${job.outputs}/${name}`);
});
yard.function('fail', (args) => { throw new yard.Fail(args.message, args.exit_code); });
yard.run();

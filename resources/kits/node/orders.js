#!/usr/bin/env node
// Orders and their items, as objects: ../objects has their types. orders.py and orders.cpp do the same.
const yard = require('./yard_worker.js');

yard.tick('order', (o) => {
    const names = o.fields.items;
    if (o.status === 'queued') {
        const price = {worker: 'orders', function: 'price', args: {items: names.length}};
        const items = names.map((name) => yard.create('item', {name}, {key: `${o.id}/${name}`}));
        return o.move('packing', {effects: [...items, yard.submit(price, 'price')]});
    }
    const {price} = o.actions;
    if (price?.state === 'failed') throw new yard.Fail('nobody knows what it costs');
    // The end of an item, and of the action, is not waited for: they make it due.
    if (o.children.pending > 0 || price?.state !== 'completed') return o.wait(60);
    return o.move('sent', {set: {total: price.result}, effects: [yard.call('receipt', {total: price.result})]});
});

yard.tick('item', async (o) => {
    if (o.fields.name === 'unicorn') throw new yard.Fail('there are no unicorns');
    return o.move('packed');
});

yard.function('price', (args) => 10 * args.items);
yard.effect('receipt', (args, objectId) => console.log(`order ${objectId}: ${args.total}`));
yard.run();

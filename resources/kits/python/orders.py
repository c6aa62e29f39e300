#!/usr/bin/env python3
"""Orders and their items, as objects: ../objects has their types. orders.js and orders.cpp do the same."""

import yard_worker as yard


@yard.tick("order")
def order(o):
    names = o.fields["items"]
    if o.status == "queued":
        price = {"worker": "orders", "function": "price", "args": {"items": len(names)}}
        items = [yard.create("item", key="%d/%s" % (o.id, name), name=name) for name in names]
        return o.move("packing", effects=items + [yard.submit(price, "price")])
    price = o.actions.get("price", {})
    if price.get("state") == "failed":
        raise yard.Fail("nobody knows what it costs")
    if o.children.pending or price.get("state") != "completed":
        return o.wait(60)  # the end of an item, and of the action, is not waited for: they make it due
    return o.move("sent", set={"total": price["result"]}, effects=[yard.call("receipt", total=price["result"])])


@yard.tick("item")
def item(o):
    if o.fields["name"] == "unicorn":
        raise yard.Fail("there are no unicorns")
    return o.move("packed")


@yard.function("1")
def price(args, job):
    return 10 * args["items"]


@yard.effect("receipt")
def receipt(args, object_id, attempt):
    print("order %d: %d" % (object_id, args["total"]))


yard.run()

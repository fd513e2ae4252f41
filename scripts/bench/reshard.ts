import type { FrailRedis } from "./redis.ts";

/**
 * Moves a key name's slot to the next master that does not hold it, key by key, as described in
 * https://redis.io/docs/latest/commands/cluster-setslot/.
 */
export async function moveSlotOf(nodes: readonly FrailRedis[], name: string): Promise<void> {
  const slot = String(await nodes[0]?.call("CLUSTER", "KEYSLOT", name));
  const source = await masterOf(nodes, name);
  const masters: FrailRedis[] = [];
  for (const node of nodes) if (await isMaster(node)) masters.push(node);
  const target = masters.find((node) => node !== source);
  if (!source || !target) throw new Error("There is no master to move the slot from, or to");
  const to = String(await target.call("CLUSTER", "MYID"));
  await beginMove(slot, source, target);
  for (;;) {
    const keys = (await source.call("CLUSTER", "GETKEYSINSLOT", slot, "100")) as string[];
    if (keys.length === 0) break;
    const port = String(target.port);
    await source.call("MIGRATE", "127.0.0.1", port, "", "0", "1000", "KEYS", ...keys);
  }
  for (const node of [target, source, ...masters]) {
    await node.call("CLUSTER", "SETSLOT", slot, "NODE", to);
  }
}

/** From now on the source redirects clients to the target for keys of the slot that it no longer has. */
export async function beginMove(
  slot: string,
  source: FrailRedis,
  target: FrailRedis,
): Promise<void> {
  const [from, to] = [await source.call("CLUSTER", "MYID"), await target.call("CLUSTER", "MYID")];
  await target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", String(from));
  await source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", String(to));
}

/** The master that holds the slot of a name; undefined when it is none of these. */
export async function masterOf(
  nodes: readonly FrailRedis[],
  name: string,
): Promise<FrailRedis | undefined> {
  const slot = Number(await nodes[0]?.call("CLUSTER", "KEYSLOT", name));
  const shards = (await nodes[0]?.call("CLUSTER", "SLOTS")) as [number, number, [string, number]][];
  const port = shards.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
  return nodes.find((node) => node.port === port);
}

async function isMaster(node: FrailRedis): Promise<boolean> {
  return String(await node.call("INFO", "replication")).includes("role:master");
}

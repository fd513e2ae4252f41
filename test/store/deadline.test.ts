import { expect, test } from "bun:test";
import { DeadlineError, withDeadline } from "../../src/store/deadline.ts";

test("a promise is given up at the deadline, and a late result is reported", async () => {
  const late = Promise.withResolvers<string>();
  const told = Promise.withResolvers<string>();
  const outcome = await withDeadline(late.promise, 10, told.resolve).catch((error) => error);
  expect(outcome).toEqual(new DeadlineError("no answer within 10 ms"));
  late.resolve("after all");
  expect(await told.promise).toBe("after all");
});

test("an answer that arrived while the process was blocked is not late", async () => {
  const answered = Promise.withResolvers<string>();
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        // The answer is there from now on, but the process cannot read it before the deadline.
        socket.write("an answer");
        Bun.sleepSync(200);
      },
    },
  });
  const client = await Bun.connect({
    hostname: server.hostname,
    port: server.port,
    socket: { data: (_, data) => answered.resolve(data.toString()) },
  });
  client.write("a question");
  expect(await withDeadline(answered.promise, 100)).toBe("an answer");
  client.end();
  server.stop(true);
});

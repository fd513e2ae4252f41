/**
 * Sends requests over persistent connections, each the next one as soon as the last is answered, and
 * counts the answers. It does no more than that, since it must cost less than what it measures.
 * @param pathOf the path of a connection's next request
 * @returns how many answers came, all of them 200, and in how many seconds
 */
export async function load(
  url: string,
  {
    connections,
    durationMs,
    pathOf,
  }: { connections: number; durationMs: number; pathOf: () => string },
): Promise<{ answers: number; seconds: number }> {
  const { hostname, port, host } = new URL(url);
  let answers = 0;
  let isOver = false;
  const began = performance.now();
  const request = () => `GET ${pathOf()} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  const closed = Array.from({ length: connections }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let missing = 0;
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(request()),
        data(socket, chunk) {
          if (missing === 0) missing = lengthOf(chunk);
          missing -= chunk.byteLength;
          if (missing > 0) return;
          answers += 1;
          if (isOver) socket.end();
          else socket.write(request());
        },
        close: () => resolve(),
        error: (_socket, error) => reject(error),
      },
    }).catch(reject);
    return promise;
  });
  await Bun.sleep(durationMs);
  isOver = true;
  const seconds = (performance.now() - began) / 1000;
  const counted = answers;
  await Promise.all(closed);
  return { answers: counted, seconds };
}

/** The bytes of an answer, told by its first chunk, which holds all its fields. */
function lengthOf(chunk: Uint8Array): number {
  const text = Buffer.from(
    chunk.buffer,
    chunk.byteOffset,
    Math.min(chunk.byteLength, 1024),
  ).toString("latin1");
  const fields = text.indexOf("\r\n\r\n") + 4;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (!text.startsWith("HTTP/1.1 200") || length === undefined) {
    throw new Error(`An answer that cannot be counted: ${text.slice(0, 200)}`);
  }
  return fields + Number(length);
}

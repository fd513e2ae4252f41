import * as v from "valibot";
import type { Sql } from "../store/postgres.ts";
import { createKey, type IssuedKey, type KeyRequest } from "./keys.ts";

/** Someone who asks for a key. */
export interface Application {
  id: string;
  name: string;
  email: string;
  /** What the key is for, in the applicant's words. */
  purpose: string;
  createdAt: Date;
}

/** The applications that nobody has decided yet, oldest first. */
export async function listWaiting(sql: Sql): Promise<Application[]> {
  return await sql<Application[]>`
    select id, name, email, purpose, created_at as "createdAt"
    from applications where status = 'waiting' order by created_at, id`;
}

export type Approval = { issued: IssuedKey } | { refused: "unknown" | "approved" | "declined" };

/** Approves a waiting application and issues its key, both or neither. */
export async function approveApplication(
  sql: Sql,
  id: string,
  rights: Omit<KeyRequest, "name" | "email">,
): Promise<Approval> {
  if (!v.is(v.pipe(v.string(), v.uuid()), id)) return { refused: "unknown" };
  return await sql.begin(async (transaction): Promise<Approval> => {
    const [application] = await transaction<ApplicationState[]>`
      select name, email, status from applications where id = ${id} for update`;
    if (!application) return { refused: "unknown" };
    const { name, email, status } = application;
    if (status !== "waiting") return { refused: status };
    await transaction`update applications set status = 'approved' where id = ${id}`;
    return { issued: await createKey(transaction, { ...rights, name, email }) };
  });
}

interface ApplicationState {
  name: string;
  email: string;
  status: "waiting" | "approved" | "declined";
}

import type { Client, RequestError, Wait } from "../../client/client";
import type { PictureParams, PictureResult } from "../../client/protocol.gen";
import { type Signal, signal } from "../../client/signals";
import { same } from "../../client/traits";

export interface Shown {
  params: PictureParams;
  picture: PictureResult;
  buffers: DataView[];
  /** Whether more of it is on its way. */
  partial?: boolean;
}

/** How long a picture that is no longer wanted may hold up the one that is. */
export const REPLACE_AFTER = 250;

/**
 * Fetches pictures so that the last one wanted wins. While a slider moves, one request is on its way and at
 * most one waits: an answer that comes fast is painted in passing, a slow one is cancelled for the newest.
 */
export class PictureLoader {
  readonly shown: Signal<Shown | null> = signal(null);
  readonly error: Signal<RequestError | null> = signal(null);
  readonly loading = signal(false);
  readonly wait: Signal<Wait> = signal("waiting");

  readonly #client: Client;
  #wanted: PictureParams | null = null;
  #running: { params: PictureParams; abort: AbortController; at: number; resend: () => void } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
  }

  want(params: PictureParams): void {
    if (same(params, this.#wanted)) return;
    this.#wanted = params;
    const running = this.#running;
    if (running === null) {
      const shown = this.shown.peek();
      if (shown && !shown.partial && same(shown.params, params) && this.error.peek() === null) return;
      this.#send(params);
    } else if (!same(running.params, params)) {
      const age = Date.now() - running.at;
      if (age >= REPLACE_AFTER || running.params.path !== params.path) this.#replace();
      else this.#timer ??= setTimeout(() => this.#replace(), REPLACE_AFTER - age);
    }
  }

  /** Asks again for what is wanted. */
  retry(): void {
    if (this.#running) this.#running.resend();
    else if (this.#wanted) this.#send(this.#wanted);
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer();
    this.#running?.abort.abort();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #replace(): void {
    this.#stopTimer();
    if (this.#running === null || this.#wanted === null || same(this.#running.params, this.#wanted)) return;
    this.#running.abort.abort();
    this.#send(this.#wanted);
  }

  #send(params: PictureParams): void {
    this.#stopTimer();
    const abort = new AbortController();
    const call = this.#client.call("picture", params, abort.signal, ({ value, buffers }) => {
      if (this.#running?.abort === abort && !this.#closed)
        this.shown.value = { params, picture: value, buffers, partial: true };
    });
    const running = { params, abort, at: Date.now(), resend: call.resend };
    this.#running = running;
    this.loading.value = true;
    this.error.value = null;
    const follow = call.wait.subscribe((wait) => {
      if (this.#running === running) this.wait.value = wait;
    });
    const done = (result: Shown | null, error: RequestError | null) => {
      follow();
      if (this.#running !== running || this.#closed) return;
      this.#running = null;
      this.#stopTimer();
      if (result) this.shown.value = result;
      if (this.#wanted !== null && !same(this.#wanted, params)) {
        this.#send(this.#wanted);
        return;
      }
      this.error.value = error;
      this.loading.value = false;
      this.wait.value = "waiting";
    };
    call.answer.then(
      ({ value, buffers }) => done({ params, picture: value, buffers }, null),
      (error: RequestError) => done(null, error),
    );
  }
}

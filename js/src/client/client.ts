import type {
  Failure,
  Event as KernelEvent,
  Methods,
  Partial as PartialPicture,
  Reply,
} from "./protocol.gen";
import { type Signal, signal } from "./signals";

export type Method = keyof Methods;

/** The part of anywidget's model that carries messages. */
export interface Wire {
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[] | ArrayBufferView[]): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback?: (...args: never[]) => void): void;
}

/** When a request is slow, asked about, and given up, in milliseconds. */
export const SLOW_AFTER = 1500;
export const PING_AFTER = 4000;
export const LOST_AFTER = 20_000;
/** The same where the host has said that the connection is another one now. */
export const DOUBT_AFTER = 3000;
const TICK = 250;

/** Why a request has no result. */
export class RequestError extends Error {
  readonly code: Failure["code"] | "closed";
  readonly retry: boolean;

  constructor(code: Failure["code"] | "closed", message: string, retry: boolean) {
    super(message);
    this.name = "RequestError";
    this.code = code;
    this.retry = retry;
  }

  get cancelled(): boolean {
    return this.code === "cancelled" || this.code === "closed";
  }
}

export interface Answer<M extends Method> {
  value: Methods[M]["result"];
  buffers: DataView[];
}

/**
 * `waiting` until 1.5 s have passed, then `slow`; `working` when the kernel has meanwhile answered something
 * else, so that it is alive; `lost` when nothing at all has come from it for 20 s, or for 3 s after the host lost
 * the connection.
 */
export type Wait = "waiting" | "slow" | "working" | "lost";

export interface Call<M extends Method> {
  readonly answer: Promise<Answer<M>>;
  readonly wait: Signal<Wait>;
  /** Sends the request again under a new number; the same promise is kept. */
  resend(): void;
}

interface Pending {
  id: number;
  method: Method;
  params: object;
  sentAt: number;
  wait: Signal<Wait>;
  partial: ((answer: Answer<"picture">) => void) | undefined;
  resolve(answer: Answer<Method>): void;
  reject(error: RequestError): void;
}

/** A buffer of a message, whatever the host made of it, as a view of exactly its bytes. */
export function asView(buffer: unknown): DataView {
  if (buffer instanceof DataView) return buffer;
  if (ArrayBuffer.isView(buffer)) return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  return new DataView(buffer as ArrayBuffer);
}

/** Numbers requests, finds the reply to each, cancels, and knows whether the kernel is there. */
export class Client {
  /** The worst state of all requests on their way. */
  readonly health = signal<Wait>("waiting");
  /** Whether the kernel has ever said anything. */
  readonly answered = signal(false);
  onEvent: ((event: KernelEvent, buffers: DataView[]) => void) | null = null;

  readonly #wire: Wire;
  readonly #pending = new Map<number, Pending>();
  readonly #listener: (message: unknown, buffers?: unknown) => void;
  #next: number;
  #heardAt = 0;
  #ping = 0;
  #pingedAt = 0;
  #timer: ReturnType<typeof setInterval> | null = null;
  #closed = false;
  #lostAfter = LOST_AFTER;
  /** Backbone's event of ipywidgets: whether the kernel is there is asked at once. Other hosts are waited for. */
  readonly #doubt = () => {
    this.#lostAfter = DOUBT_AFTER;
    this.call("open", {});
  };

  /** Tabs of one notebook hear each other's replies: each counts from a number of its own. */
  constructor(wire: Wire, first = 1 + Math.floor(Math.random() * 2 ** 30) * 2 ** 20) {
    this.#wire = wire;
    this.#next = first;
    this.#listener = (message, buffers) => this.#hear(message, Array.isArray(buffers) ? buffers : []);
    wire.on("msg:custom", this.#listener as (...args: never[]) => void);
    wire.on("comm_live_update", this.#doubt);
  }

  get size(): number {
    return this.#pending.size;
  }

  /** `partial` sees pictures that are not finished yet. */
  call<M extends Method>(
    method: M,
    params: Methods[M]["params"],
    abort?: AbortSignal,
    partial?: (answer: Answer<"picture">) => void,
  ): Call<M> {
    const wait = signal<Wait>("waiting");
    let entry!: Pending;
    const answer = new Promise<Answer<M>>((resolve, reject) => {
      const settle = { resolve: resolve as Pending["resolve"], reject };
      entry = { id: 0, method, params, sentAt: 0, wait, partial, ...settle };
      if (this.#closed) reject(new RequestError("closed", "the view is closed", false));
      else if (abort?.aborted) reject(new RequestError("cancelled", "cancelled", false));
      else this.#send(entry);
    });
    // Who is no longer there to hear of a failure is not troubled by it.
    answer.catch(() => {});
    abort?.addEventListener("abort", () => this.#drop(entry), { once: true });
    return { answer, wait, resend: () => this.#resend(entry) };
  }

  async request<M extends Method>(
    method: M,
    params: Methods[M]["params"],
    abort?: AbortSignal,
  ): Promise<Methods[M]["result"]> {
    return (await this.call(method, params, abort).answer).value;
  }

  /** Sends every request that is still unanswered once more. */
  resendAll(): void {
    for (const entry of [...this.#pending.values()]) this.#resend(entry);
  }

  close(): void {
    this.#closed = true;
    this.#wire.off("msg:custom", this.#listener as (...args: never[]) => void);
    this.#wire.off("comm_live_update", this.#doubt);
    for (const [id, entry] of this.#pending) {
      this.#say({ kind: "cancel", id });
      entry.reject(new RequestError("closed", "the view is closed", false));
    }
    this.#pending.clear();
    this.#stop();
  }

  #resend(entry: Pending): void {
    if (!this.#pending.delete(entry.id)) return;
    this.#say({ kind: "cancel", id: entry.id });
    this.#send(entry);
    this.#tick();
  }

  #send(entry: Pending): void {
    const id = this.#next++;
    entry.id = id;
    entry.sentAt = Date.now();
    entry.wait.value = "waiting";
    this.#pending.set(id, entry);
    this.#timer ??= setInterval(() => this.#tick(), TICK);
    this.#say({ kind: "request", id, method: entry.method, params: entry.params });
  }

  #say(message: object): void {
    try {
      this.#wire.send(message);
    } catch {
      // A model without a live comm: the request stays unanswered and says so in time.
    }
  }

  #drop(entry: Pending): void {
    if (!this.#pending.delete(entry.id)) return;
    this.#say({ kind: "cancel", id: entry.id });
    entry.reject(new RequestError("cancelled", "cancelled", false));
    this.#tick();
  }

  #hear(message: unknown, buffers: unknown[]): void {
    if (typeof message !== "object" || message === null || !("kind" in message)) return;
    this.#heardAt = Date.now();
    this.#lostAfter = LOST_AFTER;
    if (!this.answered.value) this.answered.value = true;
    if (message.kind === "event") this.onEvent?.(message as KernelEvent, buffers.map(asView));
    if (message.kind === "partial") {
      const { id, result } = message as PartialPicture;
      this.#pending.get(id)?.partial?.({ value: result, buffers: buffers.map(asView) });
    }
    if (message.kind === "reply") {
      const reply = message as Reply;
      if (reply.id === this.#ping && reply.ok) this.#sendAgain(reply.result as Methods["lost"]["result"]);
      const entry = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.ok) entry?.resolve({ value: reply.result as never, buffers: buffers.map(asView) });
      else {
        const {
          code,
          message: text,
          retry,
        } = reply.error ?? {
          code: "internal",
          message: "The kernel gave no reason.",
          retry: true,
        };
        entry?.reject(new RequestError(code, text, retry));
      }
    }
    this.#tick();
  }

  #tick(): void {
    const now = Date.now();
    let worst: Wait = "waiting";
    for (const entry of this.#pending.values()) {
      const silence = now - Math.max(entry.sentAt, this.#heardAt);
      let wait: Wait = "waiting";
      if (silence >= this.#lostAfter) wait = "lost";
      else if (now - entry.sentAt >= SLOW_AFTER) wait = this.#heardAt > entry.sentAt ? "working" : "slow";
      if (entry.wait.peek() !== wait) entry.wait.value = wait;
      if (wait === "lost" || (wait === "slow" && worst !== "lost")) worst = wait;
      else if (wait === "working" && worst === "waiting") worst = wait;
    }
    if (this.health.peek() !== worst) this.health.value = worst;
    const old = [...this.#pending.values()].some((entry) => now - entry.sentAt >= PING_AFTER);
    if (old && now - this.#pingedAt >= PING_AFTER) {
      this.#pingedAt = now;
      this.#ping = this.#next++;
      const params = { ids: [...this.#pending.keys()] };
      this.#say({ kind: "request", id: this.#ping, method: "lost", params });
    }
    if (this.#pending.size === 0) this.#stop();
  }

  /** What got lost with a connection, or whose reply did. A slow read, a dead kernel and that look alike from here. */
  #sendAgain({ ids }: Methods["lost"]["result"]): void {
    for (const id of ids) {
      const entry = this.#pending.get(id);
      if (entry) this.#resend(entry);
    }
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

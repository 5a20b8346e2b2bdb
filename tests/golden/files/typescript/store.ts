import type { Action, Reducer } from './types';
import * as React from "react";
import legacy = require("../legacy");
export * from './middleware';

/** What the store holds. */
export type State<T = unknown> = T extends object ? Readonly<T> : never;

export interface Store<S, A extends Action = Action> extends Readable<S>, Disposable {
  /** The state now. */
  readonly state: S;
  dispatch(action: A): Promise<void>;
  subscribe?: (listener: () => void) => () => void;
  new (state: S): Store<S, A>;
}

export enum Phase {
  Idle,
  Running = 'running',
}

export const enum Level { Low = 1 }

declare global {
  interface Window { store: Store<any>; }
}

declare module "virtual:config" {
  export const root: string;
  export function read(path: string): Buffer;
}

namespace Internal.Parts {
  export const limit = 10;
  export function count(items: unknown[]): number { return items.length; }
}

/** Overloaded: by reducer. */
export function create<S>(reducer: Reducer<S>): Store<S>;
/** Overloaded: by state. */
export function create<S>(state: S, name?: string): Store<S>;
export function create(input: unknown, name = "it's"): unknown {
  return new MemoryStore(input as never, name);
}

/**
 * Holds everything in memory.
 * @deprecated use another
 */
@Injectable({ scope: "singleton" })
export abstract class MemoryStore<S> extends Base<S> implements Store<S>, Iterable<S> {
  static readonly DEFAULT: Level = Level.Low;
  private listeners = new Set<() => void>();
  declare readonly tag: 'memory';

  constructor(public state: S, protected readonly name: string) { super(); }

  // The order of listeners is kept.
  @bound
  async dispatch<A extends Action>(action: A): Promise<void> {
    const notify = (): void => {
      for (const listener of this.listeners) listener();
    };
    await this.reduce(action);
    notify();
  }

  protected abstract reduce(action: Action): Promise<S>;

  onChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get [Symbol.toStringTag](): string { return `größe ${this.name} 😀`; }
}

export const useStore = <S,>(): Store<S> => React.useContext(StoreContext) as Store<S>;

export let current: Store<unknown> | undefined, previous: typeof current;

function isStore(value: unknown): value is Store<unknown> {
  return typeof value === "object";
}

export default { install: (app: App) => app.provide(useStore), isStore };

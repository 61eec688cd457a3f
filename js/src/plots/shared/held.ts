function equal(one: ArrayLike<number>, other: ArrayLike<number> | undefined): boolean {
  if (one.length !== other?.length) return false;
  if (one !== other) for (let at = 0; at < one.length; at++) if (!Object.is(one[at], other[at])) return false;
  return true;
}

/** Keeps what was made last, until it is asked for on other numbers: most steps of a slider change only values. */
export function held<T>(): (on: ArrayLike<number>[], make: () => T) => T {
  let before: ArrayLike<number>[] | null = null;
  let made: T;
  return (on, make) => {
    if (!before || !on.every((one, at) => equal(one, before?.[at]))) [before, made] = [on, make()];
    return made;
  };
}

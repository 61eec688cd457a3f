import { useEffect, useState } from "preact/hooks";

/** A value that follows another when that has been quiet for a while. */
export function useQuiet<T>(value: T, delay: number): T {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return quiet;
}

import { useEffect, useState } from "preact/hooks";

/** A value that follows another once it has stopped changing for a while. */
export function useDebounced<T>(value: T, delay: number): T {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return quiet;
}

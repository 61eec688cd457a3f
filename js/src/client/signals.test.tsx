import { act, render } from "@testing-library/preact";
import { useState } from "preact/hooks";
import { expect, test } from "vitest";
import { effect, signal } from "./signals";

test("effects run again when what they have read last is another, until they are stopped", () => {
  const [first, second, chosen] = [signal(1), signal(10), signal(true)];
  const seen: number[] = [];
  const stop = effect(() => {
    seen.push(chosen.value ? first.value : second.value);
  });
  second.value = 20;
  first.value = 2;
  first.value = 2;
  chosen.value = false;
  first.value = 3;
  second.value = 30;
  stop();
  second.value = 40;
  expect(seen).toEqual([1, 2, 20, 30]);
  expect([first, second, chosen].map(({ readers }) => readers.size)).toEqual([0, 0, 0]);
});

test("listeners are told apart from what they read, and one that fails does not silence the next", () => {
  const [value, other] = [signal(1), signal(1)];
  const told: number[] = [];
  value.subscribe((now) => {
    if (now === 2) throw new Error("no");
  });
  value.subscribe((now) => told.push(now + other.value));
  expect(() => {
    value.value = 2;
  }).toThrow("no");
  other.value = 5;
  expect(told).toEqual([2, 3]);
});

test("a component is rendered when a signal changes that it reads, and forgotten with its element", async () => {
  const [shown, text, unread] = [signal(true), signal("a"), signal(0)];
  let [inner, still] = [0, 0];
  const Inner = () => {
    inner += 1;
    return <b>{shown.value && text.value}</b>;
  };
  const Still = ({ name }: { name: string }) => {
    still += 1;
    return <i>{name}</i>;
  };
  const Outer = () => {
    const [there, setThere] = useState(true);
    return (
      <button type="button" onClick={() => setThere(false)}>
        {there && <Inner />}
        <Still name="same" />
      </button>
    );
  };
  const { container } = render(<Outer />);
  await act(() => {
    text.value = "b";
    unread.value = 1;
  });
  expect([container.textContent, inner, still]).toEqual(["bsame", 2, 1]);
  await act(() => container.querySelector("button")?.click());
  expect([container.textContent, still, text.readers.size]).toEqual(["same", 1, 0]);
});

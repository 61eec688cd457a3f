import { cleanup, configure } from "@testing-library/preact";
import { afterEach } from "vitest";

// A page of a hundred rows takes its time in jsdom.
configure({ asyncUtilTimeout: 8000 });

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
});

// jsdom has no canvas and says so on every call; the explorer takes null for "no drawing".
HTMLCanvasElement.prototype.getContext = (() => null) as typeof HTMLCanvasElement.prototype.getContext;

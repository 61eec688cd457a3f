// What JSX becomes in the bundle: shorter than the automatic runtime, and the same in Preact.
export { Fragment, h } from "preact";

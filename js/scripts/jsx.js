// What JSX is made into: shorter than what "automatic" makes of it, and put into every file that has some.
export { createElement, Fragment } from "preact";

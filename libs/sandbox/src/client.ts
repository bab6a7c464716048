/** The control API for whoever only talks to a sandbox: nothing of the simulated clouds is loaded. */
export { SandboxClient } from './control-api/sandbox-client.js';

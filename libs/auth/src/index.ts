export { CALL_MATRIX, SERVICES, type Scope, type ServiceName } from './call-matrix.js';

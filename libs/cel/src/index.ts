export { fromCelValue, toCelValue } from './cel-value.js';
export { decidingValues, type DecidingValue } from './explain/deciding-values.js';
export {
  compileExpression,
  evaluationMistake,
  type Bindings,
  type Compilation,
  type Expression,
  type MemberTypes,
  type ResultType,
  type TypedVariable,
} from './expression.js';
export { isLinearPattern } from './linear-pattern.js';
export { memberTypesOf, type TypeSchema } from './member-types.js';
export { compileTemplate, type Template, type TemplateError } from './template.js';
export { wasStarved, withinProcessorTime, withinTime } from './time-limit.js';

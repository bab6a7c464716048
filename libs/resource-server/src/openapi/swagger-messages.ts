import protobuf from 'protobufjs';

type Fields = Readonly<Record<string, readonly [id: number, type: string]>>;

const EXTENSIONS = (id: number): Fields => ({ vendorExtension: [id, '*NamedAny'] });
const BOUNDS = (first: number): Fields => ({
  maximum: [first, 'double'],
  exclusiveMaximum: [first + 1, 'bool'],
  minimum: [first + 2, 'double'],
  exclusiveMinimum: [first + 3, 'bool'],
  maxLength: [first + 4, 'int64'],
  minLength: [first + 5, 'int64'],
  pattern: [first + 6, 'string'],
});
const map = (type: string): Fields => ({ additionalProperties: [1, `*${type}`] });
const pair = (type: string): Fields => ({ name: [1, 'string'], value: [2, type] });

/** The part of the format that our documents use; `*` marks a list. Source: gnostic's openapiv2/OpenAPIv2.proto */
const MESSAGES: Readonly<Record<string, Fields>> = {
  Any: { yaml: [2, 'string'] },
  NamedAny: pair('Any'),
  NamedSchema: pair('Schema'),
  NamedPathItem: pair('PathItem'),
  NamedHeader: pair('Header'),
  NamedResponse: pair('Response'),
  NamedResponseValue: pair('ResponseValue'),
  NamedStringArray: pair('StringArray'),
  NamedSecurityDefinitionsItem: pair('SecurityDefinitionsItem'),
  Definitions: map('NamedSchema'),
  Properties: map('NamedSchema'),
  Headers: map('NamedHeader'),
  ResponseDefinitions: map('NamedResponse'),
  SecurityDefinitions: map('NamedSecurityDefinitionsItem'),
  SecurityRequirement: map('NamedStringArray'),
  StringArray: { value: [1, '*string'] },
  TypeItem: { value: [1, '*string'] },
  ItemsItem: { schema: [1, '*Schema'] },
  JsonReference: { ref: [1, 'string'] },
  AdditionalPropertiesItem: { schema: [1, 'Schema'], boolean: [2, 'bool'] },
  SchemaItem: { schema: [1, 'Schema'] },
  ApiKeySecurity: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
  SecurityDefinitionsItem: { apiKeySecurity: [2, 'ApiKeySecurity'] },
  Info: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'] },
  Tag: { name: [1, 'string'], description: [2, 'string'] },
  Header: { type: [1, 'string'], description: [18, 'string'] },
  Document: {
    swagger: [1, 'string'],
    info: [2, 'Info'],
    paths: [8, 'Paths'],
    definitions: [9, 'Definitions'],
    responses: [11, 'ResponseDefinitions'],
    security: [12, '*SecurityRequirement'],
    securityDefinitions: [13, 'SecurityDefinitions'],
    tags: [14, '*Tag'],
  },
  Paths: { path: [2, '*NamedPathItem'] },
  PathItem: {
    get: [2, 'Operation'],
    put: [3, 'Operation'],
    post: [4, 'Operation'],
    delete: [5, 'Operation'],
    patch: [8, 'Operation'],
    parameters: [9, '*ParametersItem'],
  },
  Operation: {
    tags: [1, '*string'],
    summary: [2, 'string'],
    description: [3, 'string'],
    operationId: [5, 'string'],
    produces: [6, '*string'],
    consumes: [7, '*string'],
    parameters: [8, '*ParametersItem'],
    responses: [9, 'Responses'],
    security: [12, '*SecurityRequirement'],
    ...EXTENSIONS(13),
  },
  ParametersItem: { parameter: [1, 'Parameter'] },
  Parameter: { bodyParameter: [1, 'BodyParameter'], nonBodyParameter: [2, 'NonBodyParameter'] },
  BodyParameter: {
    description: [1, 'string'],
    name: [2, 'string'],
    in: [3, 'string'],
    required: [4, 'bool'],
    schema: [5, 'Schema'],
  },
  NonBodyParameter: {
    queryParameterSubSchema: [3, 'QueryParameterSubSchema'],
    pathParameterSubSchema: [4, 'PathParameterSubSchema'],
  },
  QueryParameterSubSchema: parameterFields(6, 21),
  PathParameterSubSchema: parameterFields(5, 20),
  Responses: { responseCode: [1, '*NamedResponseValue'] },
  ResponseValue: { response: [1, 'Response'], jsonReference: [2, 'JsonReference'] },
  Response: { description: [1, 'string'], schema: [2, 'SchemaItem'], headers: [3, 'Headers'] },
  Schema: {
    ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, 'Any'],
    multipleOf: [6, 'double'],
    ...BOUNDS(7),
    maxItems: [14, 'int64'],
    minItems: [15, 'int64'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'int64'],
    minProperties: [18, 'int64'],
    required: [19, '*string'],
    enum: [20, '*Any'],
    additionalProperties: [21, 'AdditionalPropertiesItem'],
    type: [22, 'TypeItem'],
    items: [23, 'ItemsItem'],
    allOf: [24, '*Schema'],
    properties: [25, 'Properties'],
    readOnly: [27, 'bool'],
    example: [30, 'Any'],
    ...EXTENSIONS(31),
  },
};

/** `type` of a query parameter follows one field that a path parameter does not have. */
function parameterFields(type: number, options: number): Fields {
  return {
    required: [1, 'bool'],
    in: [2, 'string'],
    description: [3, 'string'],
    name: [4, 'string'],
    type: [type, 'string'],
    format: [type + 1, 'string'],
    ...BOUNDS(type + 5),
    enum: [options, '*Any'],
  };
}

/** The message that a whole OpenAPI v2 document is. */
export const DOCUMENT_MESSAGE = protobuf.Root.fromJSON({
  nested: Object.fromEntries(Object.entries(MESSAGES).map(([name, fields]) => [name, { fields: fieldsOf(fields) }])),
}).lookupType('Document');

function fieldsOf(fields: Fields): Record<string, protobuf.IField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, [id, type]]) => {
      const isList = type.startsWith('*');
      return [name, isList ? { id, type: type.slice(1), rule: 'repeated' } : { id, type }];
    }),
  );
}

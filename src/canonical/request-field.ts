// The fields of a request, derived from its type, so that a new one is noticed wherever fields are listed.
import type { OperationRequest } from "./operation.ts";

/** Members of every request, and members that group or describe its fields. */
type Envelope = "operation" | "model" | "unnamed" | "stream" | "includeUsage" | "unmappedFields";

/** Members that group fields: a field in them counts like one of the request itself. */
type Group = "sampling" | "options";

/** The fields of a request in one object, including those of its groups. */
export type RequestFields<R> = Omit<R, Envelope | Group> &
  (R extends { readonly sampling: infer Fields } ? Fields : unknown) &
  (R extends { readonly options: infer Fields } ? Fields : unknown);

/** The name of a field of a request. */
export type RequestField<R> = keyof RequestFields<R> & string;

/** The value of a field. */
export type FieldValue<R, Field extends RequestField<R>> = NonNullable<RequestFields<R>[Field]>;

type FieldOf<R> = R extends OperationRequest ? RequestField<R> : never;

/** The name of a field of any request. */
export type FieldName = FieldOf<OperationRequest>;

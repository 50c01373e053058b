/**
 * Finding customers by their e-mail address.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
CREATE INDEX customer_attributes_by_email ON customer_attributes (project_id, value, customer_id)
  WHERE name = '$email';
`;

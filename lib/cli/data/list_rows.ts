/**
 * The rows of each list, by its path, and the forms that rows have in common. Written by
 * `deno task docs` from the service's own documents; do not edit.
 *
 * A form is JSON: 0 stands for a value, a text for the form of that name, ["list", FORM] for a list,
 * [FORM] for an array, and {} for an object with any fields. A name with a question mark is that of a
 * field that is not always there.
 *
 * @module
 */

/** Forms by name. */
export const FORMS: Readonly<Record<string, string>> = {
  ActiveEntitlement: '{"object":0,"entitlement_id":0,"expires_at":0}',
  App:
    '{"object":0,"id":0,"name":0,"created_at":0,"project_id":0,"type":0,"app_store":{"bundle_id":0,"app_store_connect_api_key_configured":0,"subscription_key_configured":0},"mac_app_store":{"bundle_id":0},"play_store":{"package_name":0},"amazon":{"package_name":0},"stripe":{"stripe_account_id":0},"svc_billing":{"stripe_account_id":0,"seller_company_name":0,"app_name":0,"seller_company_support_email":0,"support_email":0,"default_currency":0},"rc_billing":{"stripe_account_id":0,"seller_company_name":0,"app_name":0,"seller_company_support_email":0,"support_email":0,"default_currency":0},"roku":{"roku_channel_id":0,"roku_channel_name":0},"paddle":{"paddle_is_sandbox":0}}',
  AuditLog:
    '{"object":0,"id":0,"project_id":0,"action_type":0,"target_type":0,"target_identifier":0,"actor_type":0,"actor_identifier":0,"occurred_at":0,"additional_data":{}}',
  Collaborator: '{"object":0,"id":0,"name":0,"email":0,"role":0,"accepted_at":0,"has_mfa":0}',
  Customer:
    '{"object":0,"id":0,"project_id":0,"first_seen_at":0,"last_seen_at":0,"last_seen_app_version":0,"last_seen_country":0,"last_seen_platform":0,"last_seen_platform_version":0,"active_entitlements?":["list","ActiveEntitlement"],"experiment?":0,"attributes?":["list","CustomerAttribute"]}',
  CustomerAlias: '{"object":0,"id":0,"created_at":0}',
  CustomerAttribute: '{"object":0,"name":0,"value":0,"updated_at":0}',
  Entitlement:
    '{"object":0,"project_id":0,"id":0,"lookup_key":0,"display_name":0,"created_at":0,"state":0,"products?":["list","Product"]}',
  Invoice:
    '{"object":0,"id":0,"customer_id":0,"total_amount":"MonetaryAmount","line_items":[{"object":0,"product_identifier":0,"product_display_name":0,"product_duration":0,"quantity":0,"unit_amount":"MonetaryAmount"}],"issued_at":0,"paid_at":0,"invoice_url":0}',
  MonetaryAmount: '{"currency":0,"gross":0,"commission":0,"tax":0,"proceeds":0}',
  Offering:
    '{"object":0,"id":0,"lookup_key":0,"display_name":0,"is_current":0,"state":0,"created_at":0,"project_id":0,"metadata":{},"packages?":["list","Package"]}',
  Package:
    '{"object":0,"id":0,"lookup_key":0,"display_name":0,"position":0,"created_at":0,"offering_id":0,"products?":["list",{"eligibility_criteria":0,"product":"Product"}]}',
  Paywall:
    '{"object":0,"id":0,"name":0,"offering_id":0,"created_at":0,"published_at":0,"offering?":"Offering","components?":{"published":{"revision":0,"components_config":{},"default_locale":0,"components_localizations":{}},"draft":{"revision":0,"components_config":{},"default_locale":0,"components_localizations":{}}}}',
  Product:
    '{"object":0,"id":0,"store_identifier":0,"type":0,"subscription":{"duration":0,"grace_period_duration":0,"trial_duration":0},"one_time":{"is_consumable":0},"created_at":0,"app_id":0,"display_name":0,"state":0,"app?":"App"}',
  Project: '{"object":0,"id":0,"name":0,"created_at":0,"icon_url":0,"icon_url_large":0}',
  Purchase:
    '{"object":0,"id":0,"customer_id":0,"original_customer_id":0,"product_id":0,"purchased_at":0,"revenue_in_usd":"MonetaryAmount","quantity":0,"status":0,"presented_offering_id":0,"entitlements":["list","Entitlement"],"environment":0,"store":0,"store_purchase_identifier":0,"ownership":0,"country":0}',
  Subscription:
    '{"object":0,"id":0,"customer_id":0,"original_customer_id":0,"product_id":0,"starts_at":0,"current_period_starts_at":0,"current_period_ends_at":0,"ends_at":0,"gives_access":0,"pending_payment":0,"auto_renewal_status":0,"status":0,"total_revenue_in_usd":"MonetaryAmount","presented_offering_id":0,"entitlements":["list","Entitlement"],"environment":0,"store":0,"store_subscription_identifier":0,"ownership":0,"pending_changes":{"product":"Product"},"country":0,"management_url":0}',
  SubscriptionTransaction:
    '{"object":0,"id":0,"purchased_at":0,"product_store_identifier":0,"expiration_date":0,"effective_expiration_date":0,"revenue_in_local_currency":"MonetaryAmount","revenue_in_usd":"MonetaryAmount","status":0,"refunded_at":0}',
  VirtualCurrency:
    '{"object":0,"project_id":0,"code":0,"name":0,"created_at":0,"description":0,"product_grants":[{"object":0,"product_ids":[0],"amount":0,"trial_amount":0,"expire_at_cycle_end":0}],"state":0}',
  WebhookIntegration:
    '{"object":0,"id":0,"project_id":0,"name":0,"url":0,"event_types":[0],"environment":0,"app_id":0,"created_at":0,"disabled_at":0,"signing_secret?":0}',
  Account:
    '{"object":0,"id":0,"email":0,"name":0,"projects":[{"id":0,"role":0}],"has_password":0,"password_link?":{"url":0,"expires_at":0}}',
  Client: '{"object":0,"id":0,"name":0,"redirect_uris":[0]}',
  Delivery:
    '{"object":0,"id":0,"webhook_id":0,"event_id":0,"event_type":0,"customer_id":0,"state":0,"attempts":0,"last_attempt_at":0,"last_status":0,"last_error":0,"next_attempt_at":0,"finished_at":0}',
  DeliveryAttempt:
    '{"object":0,"delivery_id":0,"number":0,"started_at":0,"url":0,"address":0,"request":{"headers":{},"body":0},"response":{"status":0,"headers":{},"body":0,"cut":0},"error":0,"timing_ms":{},"next_attempt_at":0}',
  DeliveryFault: '{"object":0,"webhook_id":0,"fault":0,"count":0}',
  Listener: '{"object":0,"name":0,"created_at":0,"waiting":0}',
  LoggedEvent:
    '{"object":0,"id":0,"type":0,"customer_id":0,"app_id":0,"environment":0,"created_at":0,"delivery":{}}',
  RequestFault:
    '{"object":0,"method?":0,"path?":0,"count":0,"status?":0,"retry_after_s?":0,"delay_ms?":0,"cut?":0}',
  VirtualCurrencyBalance: '{"object":0,"currency_code":0,"balance":0,"description":0,"name":0}',
};

/** The form of a list's rows, by the list's path. */
export const LIST_ROWS: Readonly<Record<string, string>> = {
  "/v2/projects": '"Project"',
  "/v2/projects/{project_id}/apps": '"App"',
  "/v2/projects/{project_id}/apps/{id}/public_api_keys":
    '{"object":0,"id":0,"key":0,"environment":0,"app_id":0,"created_at":0}',
  "/v2/projects/{project_id}/collaborators": '"Collaborator"',
  "/v2/projects/{project_id}/entitlements": '"Entitlement"',
  "/v2/projects/{project_id}/entitlements/{id}/products": '"Product"',
  "/v2/projects/{project_id}/offerings": '"Offering"',
  "/v2/projects/{project_id}/offerings/{id}/packages": '"Package"',
  "/v2/projects/{project_id}/packages/{id}/products":
    '{"eligibility_criteria":0,"product":"Product"}',
  "/v2/projects/{project_id}/products": '"Product"',
  "/v2/projects/{project_id}/paywalls": '"Paywall"',
  "/v2/projects/{project_id}/virtual_currencies": '"VirtualCurrency"',
  "/v2/projects/{project_id}/integrations/webhooks": '"WebhookIntegration"',
  "/v2/projects/{project_id}/customers": '"Customer"',
  "/v2/projects/{project_id}/customers/{id}/aliases": '"CustomerAlias"',
  "/v2/projects/{project_id}/customers/{id}/attributes": '"CustomerAttribute"',
  "/v2/projects/{project_id}/customers/{id}/subscriptions": '"Subscription"',
  "/v2/projects/{project_id}/customers/{id}/purchases": '"Purchase"',
  "/v2/projects/{project_id}/customers/{id}/invoices": '"Invoice"',
  "/v2/projects/{project_id}/customers/{id}/active_entitlements": '"ActiveEntitlement"',
  "/v2/projects/{project_id}/subscriptions/search": '"Subscription"',
  "/v2/projects/{project_id}/subscriptions": '"Subscription"',
  "/v2/projects/{project_id}/subscriptions/{id}/entitlements": '"Entitlement"',
  "/v2/projects/{project_id}/subscriptions/{id}/transactions": '"SubscriptionTransaction"',
  "/v2/projects/{project_id}/purchases/search": '"Purchase"',
  "/v2/projects/{project_id}/purchases": '"Purchase"',
  "/v2/projects/{project_id}/purchases/{id}/entitlements": '"Entitlement"',
  "/v2/projects/{project_id}/audit_logs": '"AuditLog"',
  "/_sim/projects/{project_id}/customers/{id}/currencies": '"VirtualCurrencyBalance"',
  "/_sim/projects/{project_id}/events": '"LoggedEvent"',
  "/_sim/projects/{project_id}/webhooks/{id}/deliveries": '"Delivery"',
  "/_sim/projects/{project_id}/events/{id}/deliveries": '"Delivery"',
  "/_sim/projects/{project_id}/deliveries/{id}/attempts": '"DeliveryAttempt"',
  "/_sim/projects/{project_id}/faults": '"DeliveryFault"',
  "/_sim/projects/{project_id}/listeners": '"Listener"',
  "/_sim/projects/{project_id}/listeners/{name}/events":
    '{"object":0,"id":0,"type":0,"customer_id":0,"created_at":0,"payload":0}',
  "/_sim/accounts": '"Account"',
  "/_sim/clients": '"Client"',
  "/_sim/progress": '{"project_id":0,"now":0,"to":0,"done":0,"took_ms":0,"left":0,"left_ms":0}',
  "/_sim/faults": '"RequestFault"',
};

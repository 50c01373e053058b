/**
 * The currencies of prices, with their decimals and exchange rates.
 *
 * @module
 */

/**
 * The rate of each currency to US dollars on 2024-04-30: code and rate. They are rounded and constant,
 * so that the same purchases always make the same sums.
 */
const RATES = `
  USD 1        EUR 1.08     GBP 1.27     AUD 0.66     CAD 0.73     JPY 0.0067   BRL 0.19
  KRW 0.00074  CNY 0.14     MXN 0.055    SEK 0.095    PLN 0.25     CHF 1.13     CZK 0.043
  DKK 0.145    HKD 0.128    IDR 0.000063 ILS 0.27     INR 0.012    NOK 0.094    NZD 0.61
  PHP 0.0175   SGD 0.74     THB 0.028    TRY 0.031    TWD 0.031    VND 0.00004  ZAR 0.054

  AED 0.2723   AFN 0.0139   ALL 0.0106   AMD 0.00258  ANG 0.558    AOA 0.0012   ARS 0.00114
  AWG 0.5556   AZN 0.588    BAM 0.547    BBD 0.5      BDT 0.0091   BGN 0.547    BHD 2.653
  BIF 0.00035  BMD 1        BND 0.734    BOB 0.1447   BSD 1        BTN 0.012    BWP 0.0725
  BYN 0.306    BZD 0.496    CDF 0.00036  CLP 0.00105  COP 0.000258 CRC 0.00196  CUC 1
  CUP 0.0417   CVE 0.0097   DJF 0.00562  DOP 0.0171   DZD 0.00743  EGP 0.0209   ERN 0.0667
  ETB 0.0175   FJD 0.44     FKP 1.25     GEL 0.373    GHS 0.0734   GIP 1.25     GMD 0.0147
  GNF 0.000116 GTQ 0.1287   GYD 0.00478  HNL 0.0404   HRK 0.142    HTG 0.00754  HUF 0.00274
  IQD 0.000763 IRR 0.0000238 ISK 0.00712 JMD 0.0064   JOD 1.41     KES 0.0074   KGS 0.01127
  KHR 0.000246 KMF 0.00217  KPW 0.00111  KWD 3.246    KYD 1.2      KZT 0.00226  LAK 0.0000468
  LBP 0.0000112 LKR 0.00337 LRD 0.00517  LSL 0.0532   LYD 0.2052   MAD 0.0988   MDL 0.0567
  MGA 0.000225 MKD 0.0174   MMK 0.000476 MNT 0.00029  MOP 0.1241   MRU 0.0252   MUR 0.0216
  MVR 0.0647   MWK 0.000576 MYR 0.2096   MZN 0.0157   NAD 0.0532   NGN 0.00072  NIO 0.0272
  NPR 0.00749  OMR 2.597    PAB 1        PEN 0.2655   PGK 0.2588   PKR 0.00359  PYG 0.000134
  QAR 0.2747   RON 0.2146   RSD 0.00911  RUB 0.0107   RWF 0.000775 SAR 0.2666   SBD 0.118
  SCR 0.0733   SDG 0.00166  SHP 1.25     SLL 0.0000447 SOS 0.00175 SRD 0.0294   SSP 0.00064
  STN 0.0436   SVC 0.1143   SYP 0.0000769 SZL 0.0532  TJS 0.0915   TMT 0.2857   TND 0.3175
  TOP 0.419    TTD 0.1474   TZS 0.000386 UAH 0.0253   UGX 0.000262 UYU 0.0261   UZS 0.0000791
  VES 0.0274   VUV 0.0083   WST 0.357    XAF 0.00163  XCD 0.3704   XDR 1.317    XOF 0.00163
  XPF 0.00895  XSU 1.25     YER 0.004    ZMW 0.0373   ZWL 0.00311
`;

/** The rate to US dollars, by code. */
export const USD_PER_UNIT: ReadonlyMap<string, number> = new Map(
  [...RATES.matchAll(/([A-Z]{3}) ([\d.]+)/g)].map(([, code = "", rate]) => [code, Number(rate)]),
);

/** The ISO 4217 codes with a rate. */
export const CURRENCIES: readonly string[] = [...USD_PER_UNIT.keys()];

/** Currencies without decimals in ISO 4217. */
const WHOLE = new Set(
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "),
);

/** Currencies with three decimals in ISO 4217. */
const THOUSANDTHS = new Set("BHD IQD JOD KWD LYD OMR TND".split(" "));

/** The number of decimals of a price in a currency. */
export function decimalsOf(currency: string): number {
  if (WHOLE.has(currency)) return 0;
  return THOUSANDTHS.has(currency) ? 3 : 2;
}

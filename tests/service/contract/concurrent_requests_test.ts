import { testRequests } from "../../support/request_tests.ts";

testRequests(8);

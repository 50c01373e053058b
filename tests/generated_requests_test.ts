import { testRequests } from "./request_tests.ts";

testRequests(1);

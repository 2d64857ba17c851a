/** The pages that are generated from the code and its tests, and the tests that hold them to it. */
package io.csi4j.examples.generated;

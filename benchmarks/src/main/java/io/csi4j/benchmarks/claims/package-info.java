/**
 * Measures the costs of claiming and releasing a volume in each store, compared with bare writes of
 * the same bytes. Start at {@link io.csi4j.benchmarks.claims.ClaimsFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.claims;

import org.jspecify.annotations.NullMarked;

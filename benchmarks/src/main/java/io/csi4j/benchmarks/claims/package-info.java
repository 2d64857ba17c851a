/**
 * What it costs to claim a volume and to give it back, on each store, beside bare writes of the
 * same bytes. Start at {@link io.csi4j.benchmarks.claims.ClaimsFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.claims;

import org.jspecify.annotations.NullMarked;

/**
 * Measures the costs of mounting and unmounting a volume through a manager, compared with the four
 * bare calls and the same number of bare syncs. Start at {@link
 * io.csi4j.benchmarks.lifecycle.LifecycleFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.lifecycle;

import org.jspecify.annotations.NullMarked;

/**
 * What it costs to mount a volume and to unmount it through a manager, beside the four bare calls
 * and as many bare syncs. Start at {@link io.csi4j.benchmarks.lifecycle.LifecycleFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.lifecycle;

import org.jspecify.annotations.NullMarked;

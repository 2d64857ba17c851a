/**
 * The effects of a fake plugin on the filesystem of its node when it stages and publishes. Start
 * with {@link io.csi4j.testkit.effects.NodeEffects}: plain directories, no effects at all, or
 * mounts in memory.
 */
@NullMarked
package io.csi4j.testkit.effects;

import org.jspecify.annotations.NullMarked;

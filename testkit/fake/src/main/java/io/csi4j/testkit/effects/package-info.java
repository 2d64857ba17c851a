/**
 * The effects of a fake plugin on the filesystem of its node when it stages and publishes. Start
 * with {@link io.csi4j.testkit.effects.NodeEffects}, which offers plain directories, mounts in
 * memory, or no effects.
 */
@NullMarked
package io.csi4j.testkit.effects;

import org.jspecify.annotations.NullMarked;

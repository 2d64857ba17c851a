/**
 * What the volume manager remembers on this host, so that it survives any crash.
 *
 * <p>Start at {@link io.csi4j.volume.state.StateStore}, the interface of every store, and {@link
 * io.csi4j.volume.state.JournalStateStore}, the one to use. {@link
 * io.csi4j.volume.state.MemoryMedium} is for tests. Values are bytes here: what they mean belongs
 * to the engine, and nothing secret may stand in them. Claims across machines do not belong here.
 *
 * <p>Stores are safe for many threads; the values of this package are immutable.
 */
@NullMarked
package io.csi4j.volume.state;

import org.jspecify.annotations.NullMarked;

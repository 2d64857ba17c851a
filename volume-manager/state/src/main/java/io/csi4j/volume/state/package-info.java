/**
 * State of a host that survives any crash: the contract of a store and its values. Start at {@link
 * io.csi4j.volume.state.StateStore}, the interface of every store; {@link
 * io.csi4j.volume.state.MemoryMedium} is for tests. The store to use is {@code JournalStateStore}
 * in {@code io.csi4j.volume.state.journal}; what seals another one with a key is in {@code
 * io.csi4j.volume.state.seal}.
 *
 * <p>Values are bytes here: what they mean belongs to the module that writes them, and no secret of
 * a call may stand in them. Stores are safe for many threads; the values of this package are
 * immutable.
 */
@NullMarked
package io.csi4j.volume.state;

import org.jspecify.annotations.NullMarked;

/**
 * The state of a host that survives any crash: the contract of a store and its values. Start at
 * {@link io.csi4j.volume.state.StateStore}, the interface of every store; {@link
 * io.csi4j.volume.state.MemoryMedium} is for tests. The store for production use is {@code
 * JournalStateStore} in {@code io.csi4j.volume.state.journal}; {@code io.csi4j.volume.state.seal}
 * seals the values of another store with a key.
 *
 * <p>Values are bytes; their meaning is defined by the module that writes them, and they must not
 * contain secrets of calls. Stores are thread-safe; the values of this package are immutable.
 */
@NullMarked
package io.csi4j.volume.state;

import org.jspecify.annotations.NullMarked;

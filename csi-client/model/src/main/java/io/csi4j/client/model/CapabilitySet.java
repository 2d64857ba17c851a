package io.csi4j.client.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The capabilities that a service of a plugin reported.
 *
 * @param offered the capabilities that this library knows, without duplicates
 * @param unrecognized the other reported capabilities, such as {@code rpc 99}; for display only
 * @param <C> the type of the capabilities
 * @since 1.0
 */
public record CapabilitySet<C extends Enum<C>>(Set<C> offered, Set<String> unrecognized) {

  /** Copies both sets. */
  public CapabilitySet {
    offered = offered.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(offered));
    unrecognized = Collections.unmodifiableSet(new TreeSet<>(unrecognized));
  }

  /** Returns whether the plugin offers {@code capability}. */
  public boolean offers(C capability) {
    return offered.contains(capability);
  }
}

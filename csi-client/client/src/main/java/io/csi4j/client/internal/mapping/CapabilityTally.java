package io.csi4j.client.internal.mapping;

import io.csi4j.client.model.CapabilitySet;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Collects a {@link CapabilitySet} of bounded size, however long the plugin's list is. */
public final class CapabilityTally<C extends Enum<C>> {

  /** Maximum number of unknown entries that are kept for display. */
  public static final int LIMIT = 64;

  /** The name of an entry without content. */
  public static final String EMPTY = "empty";

  private final EnumSet<C> offered;
  private final Set<String> unrecognized = new TreeSet<>();

  public CapabilityTally(Class<C> type) {
    offered = EnumSet.noneOf(type);
  }

  public void add(C capability) {
    offered.add(capability);
  }

  public void addUnrecognized(String text) {
    if (unrecognized.size() < LIMIT) {
      unrecognized.add(text);
    }
  }

  public void addRpc(Optional<C> capability, int number) {
    capability.ifPresentOrElse(this::add, () -> addUnrecognized("rpc " + number));
  }

  public CapabilitySet<C> result() {
    return new CapabilitySet<>(offered, unrecognized);
  }
}

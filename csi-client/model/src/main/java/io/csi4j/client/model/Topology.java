package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A place in the topology of the storage system, described by labels such as region, zone and rack.
 *
 * @param segments the labels; keys are not case-sensitive
 * @since 1.0
 */
public record Topology(Map<String, String> segments) {

  /** Copies the labels. */
  public Topology {
    Map<String, String> copy = new LinkedHashMap<>();
    segments.forEach((key, value) -> copy.put(notNull(key), notNull(value)));
    segments = Collections.unmodifiableMap(copy);
  }

  /** Returns a place with these labels. */
  public static Topology of(Map<String, String> segments) {
    return new Topology(segments);
  }

  /** Returns whether this place has every label of {@code other}, with the same value. */
  public boolean includes(Topology other) {
    return folded().entrySet().containsAll(other.folded().entrySet());
  }

  /**
   * Returns the place with the labels of both places: the place of an object that is in this place
   * and in {@code other}. Empty if the two places have different values for one label.
   */
  public Optional<Topology> within(Topology other) {
    Map<String, String> here = folded();
    Map<String, String> both = new LinkedHashMap<>(segments);
    for (Map.Entry<String, String> label : other.segments.entrySet()) {
      String value = here.get(label.getKey().toLowerCase(Locale.ROOT));
      if (value == null) {
        both.put(label.getKey(), label.getValue());
      } else if (!value.equals(label.getValue())) {
        return Optional.empty();
      }
    }
    return Optional.of(new Topology(both));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Topology that && folded().equals(that.folded());
  }

  @Override
  public int hashCode() {
    return folded().hashCode();
  }

  @Override
  public String toString() {
    return SafeText.escape(segments.toString());
  }

  private Map<String, String> folded() {
    Map<String, String> folded = new TreeMap<>();
    segments.forEach((key, value) -> folded.put(key.toLowerCase(Locale.ROOT), value));
    return folded;
  }

  private static String notNull(String text) {
    if (text == null) {
      throw new IllegalArgumentException("A topology has a null key or value.");
    }
    return text;
  }
}

package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.internal.text.TextEntries;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A map whose values are never printed. Only its three subclasses are public. */
abstract sealed class SensitiveMap permits Secrets, VolumeContext, PublishContext {

  private final Map<String, String> entries;

  SensitiveMap(Map<String, String> entries) {
    Map<String, String> copy = new LinkedHashMap<>();
    entries.forEach(
        (key, value) -> {
          if (key == null || value == null) {
            throw new IllegalArgumentException(
                getClass().getSimpleName()
                    + " has a null "
                    + (key == null ? "key" : "value for key " + SafeText.quote(key))
                    + ".");
          }
          copy.put(key, value);
        });
    this.entries = new TextEntries(copy);
  }

  /**
   * Returns the entries in clear text, unmodifiable. The caller is responsible for protecting them.
   */
  public Map<String, String> reveal() {
    return entries;
  }

  /** The keys, which are not secret. */
  public Set<String> keys() {
    return entries.keySet();
  }

  /** Whether there are no entries. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Compares the entries. The duration does not depend on the position at which two values differ.
   */
  @Override
  @SuppressWarnings("EqualsGetClass") // secrets never equal a context, even with the same entries
  public final boolean equals(Object other) {
    if (this == other) {
      return true;
    }
    if (other == null || other.getClass() != getClass()) {
      return false;
    }
    Map<String, String> theirs = ((SensitiveMap) other).entries;
    if (!entries.keySet().equals(theirs.keySet())) {
      return false;
    }
    boolean same = true;
    for (Map.Entry<String, String> entry : entries.entrySet()) {
      byte[] ours = entry.getValue().getBytes(StandardCharsets.UTF_8);
      byte[] yours = theirs.getOrDefault(entry.getKey(), "").getBytes(StandardCharsets.UTF_8);
      same &= MessageDigest.isEqual(ours, yours);
    }
    return same;
  }

  /** Depends only on the keys, so that it reveals nothing about the values. */
  @Override
  public final int hashCode() {
    return entries.keySet().hashCode();
  }

  /** Shows the keys; never a value. */
  @Override
  public final String toString() {
    StringBuilder out = new StringBuilder(getClass().getSimpleName()).append('{');
    String separator = "";
    for (String key : entries.keySet()) {
      out.append(separator).append(SafeText.escape(key, 128)).append("=<redacted>");
      separator = ", ";
    }
    return out.append('}').toString();
  }
}

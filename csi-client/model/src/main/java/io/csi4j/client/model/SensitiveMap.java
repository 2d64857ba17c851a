package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.internal.text.TextEntries;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A map whose values are never printed. Public only through its three kinds. */
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

  /** Returns the entries in clear, unmodifiable. The caller answers for where they go. */
  public Map<String, String> reveal() {
    return entries;
  }

  /** The keys, which are no secret. */
  public Set<String> keys() {
    return entries.keySet();
  }

  /** Whether there is no entry. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Compares by value, in a time that does not depend on where two values differ. */
  @Override
  @SuppressWarnings("EqualsGetClass") // secrets never equal a context, with any entries
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

  /** Depends on the keys alone, so that it tells nothing of the values. */
  @Override
  public final int hashCode() {
    return entries.keySet().hashCode();
  }

  /** Names the keys; never a value. */
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

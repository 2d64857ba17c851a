package io.csi4j.client.internal.text;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An unmodifiable map of texts. The entries are checked once, when the map is created, instead of
 * each time they are sent.
 */
public final class TextEntries extends AbstractMap<String, String> {

  private final Map<String, String> entries;

  /** Number of bytes on the wire; negative if the entries are not all ASCII without NUL. */
  private final long plainBytes;

  /** Takes over the given map, which the caller must not use afterwards. */
  public TextEntries(Map<String, String> entries) {
    this.entries = entries;
    long bytes = 0;
    for (Entry<String, String> entry : entries.entrySet()) {
      if (!SafeText.isPlain(entry.getKey()) || !SafeText.isPlain(entry.getValue())) {
        bytes = -1;
        break;
      }
      bytes += entry.getKey().length() + (long) entry.getValue().length();
    }
    plainBytes = bytes;
  }

  /**
   * Returns whether these entries are known to be ASCII without NUL, with at most {@code most}
   * bytes in keys and values; false for other kinds of maps.
   */
  public static boolean arePlain(Map<String, String> entries, long most) {
    return entries instanceof TextEntries known
        && known.plainBytes >= 0
        && known.plainBytes <= most;
  }

  /**
   * Returns the entries for reading only. Iterating over this map does not create an object for
   * each entry, unlike iterating over an unmodifiable map.
   */
  public static Map<String, String> toRead(Map<String, String> entries) {
    return entries instanceof TextEntries known ? known.entries : entries;
  }

  @Override
  public Set<Entry<String, String>> entrySet() {
    return Collections.unmodifiableMap(entries).entrySet();
  }

  @Override
  public Set<String> keySet() {
    return Collections.unmodifiableSet(entries.keySet());
  }

  @Override
  public int size() {
    return entries.size();
  }

  @Override
  public @Nullable String get(@Nullable Object key) {
    return entries.get(key);
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return entries.containsKey(key);
  }

  /** Allocates nothing; an iterator would allocate an object for each entry. */
  @Override
  public void forEach(BiConsumer<? super String, ? super String> action) {
    entries.forEach(action);
  }
}

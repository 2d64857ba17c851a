package io.csi4j.client.internal.text;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries that cannot be changed. Their text is looked at when they are made, and not each time
 * that they are sent.
 */
public final class TextEntries extends AbstractMap<String, String> {

  private final Map<String, String> entries;

  /** How many bytes they are on the wire; negative if they are not all ASCII without NUL. */
  private final long plainBytes;

  /** These, which the caller gives away. */
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
   * Whether these entries are known to be ASCII without NUL, of so many bytes at the most in keys
   * and values; false if they are of another kind.
   */
  public static boolean arePlain(Map<String, String> entries, long most) {
    return entries instanceof TextEntries known
        && known.plainBytes >= 0
        && known.plainBytes <= most;
  }

  /**
   * These entries for who only reads them: a walk over them makes no object of each, as it does
   * where they cannot be changed.
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

  /** Without making objects, unlike a walk over the entries. */
  @Override
  public void forEach(BiConsumer<? super String, ? super String> action) {
    entries.forEach(action);
  }
}

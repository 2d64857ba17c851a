package io.csi4j.client.model;

import java.util.Map;

/**
 * The secrets that one call passes to a plugin: credentials, keys, passphrases.
 *
 * <p>Only the keys are ever printed. Protobuf needs strings, so the values are strings and stay in
 * the heap until the garbage collector frees them. Do not keep a {@code Secrets} object longer than
 * the call that needs it.
 *
 * @since 1.0
 */
public final class Secrets extends SensitiveMap {

  private static final Secrets EMPTY = new Secrets(Map.of());

  private Secrets(Map<String, String> entries) {
    super(entries);
  }

  /** Returns a copy of these entries. */
  public static Secrets of(Map<String, String> entries) {
    return entries.isEmpty() ? EMPTY : new Secrets(entries);
  }

  /** Returns secrets without entries. */
  public static Secrets empty() {
    return EMPTY;
  }
}

package io.csi4j.client.scripted;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All that could be seen of a test run from outside, and the search for secrets in it. What it
 * reports names the secret by its number only.
 */
public final class Sightings {

  /** How many characters of a needle are hashed. */
  private static final int WINDOW = 8;

  private static final int FILTER = (1 << 22) - 1;

  private final Map<String, String> placesByLine = new LinkedHashMap<>();

  private record Needle(String text, int secret, Disguise form) {}

  /** Takes a text that was seen at {@code place}. */
  public synchronized void add(String place, String text) {
    text.lines().forEach(line -> placesByLine.putIfAbsent(line, place));
  }

  /** The lines that were taken, for a look whether anything was. */
  public synchronized List<String> lines() {
    return List.copyOf(placesByLine.keySet());
  }

  /**
   * Where one of {@code secrets} can be seen, in which form, at most one line for each of these.
   */
  public synchronized List<String> of(Collection<String> secrets) {
    Map<Integer, List<Needle>> needles = new HashMap<>();
    BitSet filter = new BitSet(FILTER + 1);
    int number = 0;
    for (String secret : secrets) {
      for (Disguise form : Disguise.values()) {
        for (String text : form.needles(secret)) {
          String folded = text.toLowerCase(Locale.ROOT);
          int hash = 0;
          for (int i = 0; i < WINDOW; i++) {
            hash = hash * 31 + folded.charAt(i);
          }
          filter.set(hash & FILTER);
          needles
              .computeIfAbsent(hash, key -> new ArrayList<>())
              .add(new Needle(folded, number, form));
        }
      }
      number++;
    }
    int leaving = 1;
    for (int i = 0; i < WINDOW; i++) {
      leaving *= 31;
    }
    Map<String, String> found = new LinkedHashMap<>();
    for (Map.Entry<String, String> seen : placesByLine.entrySet()) {
      String line = seen.getKey().toLowerCase(Locale.ROOT);
      int hash = 0;
      for (int i = 0; i < line.length(); i++) {
        hash = hash * 31 + line.charAt(i);
        if (i >= WINDOW) {
          hash -= leaving * line.charAt(i - WINDOW);
        }
        if (i >= WINDOW - 1 && filter.get(hash & FILTER)) {
          int from = i - WINDOW + 1;
          for (Needle needle : needles.getOrDefault(hash, List.of())) {
            if (line.startsWith(needle.text, from)) {
              String what = seen.getValue() + ", as " + needle.form;
              found.putIfAbsent(what, what + ", secret " + needle.secret);
            }
          }
        }
      }
    }
    return List.copyOf(found.values());
  }
}

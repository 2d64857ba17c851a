package io.csi4j.client.internal.text;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads tables stored in a jar: a line of headings, then rows with tab-separated fields. */
public final class Rows {

  private Rows() {}

  /**
   * Returns the rows of a table.
   *
   * @param resource the table; this method closes it
   * @param fields the number of fields in each row
   * @throws IllegalStateException if the table is missing, or a row has a different number of
   *     fields
   */
  public static List<List<String>> of(@Nullable InputStream resource, int fields) {
    if (resource == null) {
      throw new IllegalStateException("A table of csi4j is missing from its jar.");
    }
    List<List<String>> rows = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8))) {
      lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        List<String> row = List.of(line.split("\t", -1));
        if (row.size() != fields) {
          throw new IllegalStateException(
              "A row has " + row.size() + " fields instead of " + fields + ": " + line);
        }
        rows.add(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }
}

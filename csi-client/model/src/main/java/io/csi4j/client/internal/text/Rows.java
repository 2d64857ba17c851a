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

/** Reads tables that lie in a jar: a line of headings, then rows, their fields between tabs. */
public final class Rows {

  private Rows() {}

  /**
   * The rows of a table.
   *
   * @param resource the table; closed in the end
   * @param fields how many fields each row has
   * @throws IllegalStateException if it is not there, or a row has fewer fields or more
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
              "A row has " + row.size() + " fields, and not " + fields + ": " + line);
        }
        rows.add(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }
}

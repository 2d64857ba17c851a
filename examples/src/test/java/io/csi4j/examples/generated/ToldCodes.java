package io.csi4j.examples.generated;

import io.csi4j.volume.model.OperatorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which codes are told at all: those whose name stands somewhere in the code but the catalogue. */
public final class ToldCodes {

  private static final Path SOURCES =
      Path.of(System.getProperty("csi4j.root", "."), "volume-manager");

  private static final Pattern NOT_A_NAME = Pattern.compile("[^A-Z_]+");

  private ToldCodes() {}

  /** The names of the codes that are told. */
  public static Set<String> names() {
    Set<String> words = new TreeSet<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(ToldCodes::tells).toList()) {
        words.addAll(Arrays.asList(NOT_A_NAME.split(Files.readString(file), -1)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    words.retainAll(
        Arrays.stream(OperatorCode.values()).map(OperatorCode::name).collect(Collectors.toSet()));
    return words;
  }

  private static boolean tells(Path file) {
    return file.toString().contains("/src/main/java/")
        && file.toString().endsWith(".java")
        && !file.endsWith("OperatorCode.java");
  }
}

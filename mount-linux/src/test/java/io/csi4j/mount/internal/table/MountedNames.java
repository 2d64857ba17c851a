package io.csi4j.mount.internal.table;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A program that lists the mounts below a directory, with every byte of their names as number. */
final class MountedNames {

  private MountedNames() {}

  /** Prints them, after a line that says in which encoding this JVM runs. */
  @SuppressWarnings("SystemOut") // its output is what the test reads
  public static void main(String[] arguments) {
    System.out.println(Charset.forName(System.getProperty("sun.jnu.encoding")));
    below(MountPath.ofBytes(HexFormat.of().parseHex(arguments[0]))).forEach(System.out::println);
  }

  /** One line for each, in the kernel's order. */
  static List<String> below(MountPath directory) {
    List<String> lines = new ArrayList<>();
    for (MountRecord mount :
        new TableReader(RunningKernel.kernel())
            .read(each -> each.path().isWithin(directory))
            .records()) {
      HexFormat hex = HexFormat.of();
      lines.add(
          hex.formatHex(mount.path().bytes())
              + " "
              + hex.formatHex(mount.source().bytes())
              + " "
              + mount.ref().encode());
    }
    return lines;
  }
}

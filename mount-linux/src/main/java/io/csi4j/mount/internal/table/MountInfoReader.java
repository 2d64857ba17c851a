package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Reads the kernel's mount table as text. */
public final class MountInfoReader {

  /** A thread may have its own namespace. */
  private static final String OF_THREAD = "/proc/thread-self/mountinfo";

  /** The path before Linux 3.17. */
  private static final String OF_PROCESS = "/proc/self/mountinfo";

  private static final int MOST_READINGS = 10;

  private static final String NO_PROC =
      "Mount /proc where this process sees it (mount -t proc proc /proc), and check that nothing "
          + "hides its files.";

  private final Kernel kernel;
  private final Table table;
  private final String advice;

  /** The source of the text. */
  interface Table {
    InputStream open() throws IOException;
  }

  public MountInfoReader(Kernel kernel) {
    this(kernel, MountInfoReader::open);
  }

  MountInfoReader(Kernel kernel, Table table) {
    this(kernel, table, NO_PROC);
  }

  private MountInfoReader(Kernel kernel, Table table, String advice) {
    this.kernel = kernel;
    this.table = table;
    this.advice = advice;
  }

  /** Returns a reader of the table that another process sees. */
  static MountInfoReader of(Kernel kernel, long process) {
    return new MountInfoReader(
        kernel,
        () -> ProcFiles.open("/proc/" + process + "/mountinfo"),
        "Check whether the process "
            + process
            + " still runs, and whether this one may inspect it (as the same user, or with"
            + " CAP_SYS_PTRACE).");
  }

  /**
   * Returns the whole table; references are reusable numbers.
   *
   * @throws MountException if it cannot be read, or, on a kernel that loses rows while mounts
   *     change, if it changed during each of many readings
   */
  public TableRows read() {
    TableRows rows = readOnce();
    if (kernel.features().has(Feature.STATX_MOUNT_ROOT)) {
      return rows;
    }
    // Before 5.8, the release with that feature, a row can be missed when another one disappears.
    for (int reading = 2; reading <= MOST_READINGS; reading++) {
      TableRows again = readOnce();
      if (again.equals(rows)) {
        return again;
      }
      rows = again;
    }
    throw MountException.builder(
            Reason.NO_MOUNT_TABLE,
            "Reading the table of mounts failed: it changed during each of "
                + MOST_READINGS
                + " readings, and this kernel leaves rows out then. Try again when fewer mounts"
                + " come and go, or use Linux 5.8 or newer.")
        .build();
  }

  /** Reads the table once, without creating mounts. */
  ScannedRows scan() {
    MountInfoParser parser = new MountInfoParser();
    scan(parser, () -> false);
    return parser.end();
  }

  /**
   * Returns the rows of the mounts that have these numbers now, by number; missing ones are left
   * out.
   */
  Map<Integer, MountRecord> find(Set<Integer> ids) {
    // Not a count of rows: a number may be in two of them.
    Set<Integer> missing = new HashSet<>(ids);
    MountInfoParser parser =
        new MountInfoParser(
            id -> {
              missing.remove(id);
              return ids.contains(id);
            });
    // On a kernel that leaves rows out, the table must be read to the end, and more than once.
    boolean leavesOut = !kernel.features().has(Feature.STATX_MOUNT_ROOT);
    if (!leavesOut) {
      scan(parser, missing::isEmpty);
    }
    Map<Integer, MountRecord> found = new HashMap<>();
    for (MountRecord record : (leavesOut ? read() : rows(parser.end())).records()) {
      if (ids.contains(record.id())) {
        found.put(record.id(), record);
      }
    }
    return found;
  }

  /**
   * Returns the group that the row of this mount names as the source of its mounts; empty if it
   * names none, or if the mount is gone.
   */
  OptionalInt propagateFrom(MountRef.Identity.Reusable mount) {
    int readings = kernel.features().has(Feature.STATX_MOUNT_ROOT) ? 1 : MOST_READINGS;
    for (int reading = 1; reading <= readings; reading++) {
      MountInfoParser parser = new MountInfoParser(id -> id == mount.id());
      scan(parser, () -> parser.found() > 0);
      ScannedRows row = parser.end();
      if (row.size() > 0) {
        MountRef found = rows(row).records().get(0).ref();
        return found.identity().equals(mount)
            ? RowFields.propagateFrom(row.pages().get(0).tags(0))
            : OptionalInt.empty();
      }
    }
    return OptionalInt.empty();
  }

  private TableRows readOnce() {
    return rows(scan());
  }

  /**
   * Returns the mounts of these rows. When a number is in two rows, the mount of the first one was
   * unmounted during the reading and its number went to a new mount, so the last row is kept.
   */
  private TableRows rows(ScannedRows scanned) {
    TableRows rows = TableRows.of(scanned, kernel.bootId());
    List<MountRecord> records = new ArrayList<>(rows.records());
    Set<Integer> later = new HashSet<>();
    for (int i = records.size() - 1; i >= 0; i--) {
      if (!later.add(records.get(i).id())) {
        records.remove(i);
      }
    }
    return new TableRows(records, rows.skipped());
  }

  private void scan(MountInfoParser parser, BooleanSupplier enough) {
    try (InputStream rows = table.open()) {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = parser.read(rows) && !enough.getAsBoolean();
      }
    } catch (IOException e) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "Reading the table of mounts failed: "
                  + PrintableText.escape(String.valueOf(e.getMessage()))
                  + ". "
                  + advice)
          .cause(e)
          .build();
    }
  }

  private static InputStream open() throws IOException {
    try {
      return ProcFiles.open(OF_THREAD);
    } catch (FileNotFoundException e) {
      return ProcFiles.open(OF_PROCESS);
    }
  }
}

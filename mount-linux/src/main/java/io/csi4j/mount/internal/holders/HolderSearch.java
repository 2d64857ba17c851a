package io.csi4j.mount.internal.holders;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Searches {@code /proc} and the table of mounts for the holders of a mount. */
public final class HolderSearch {

  /** After how many holders the search ends. */
  static final int MOST_HOLDERS = 256;

  /** After what time the search ends. */
  static final Duration LONGEST = Duration.ofSeconds(2);

  private final Kernel kernel;
  private final KernelTable table;
  private final LongSupplier nanoTime;

  public HolderSearch(Kernel kernel, KernelTable table) {
    this(kernel, table, System::nanoTime);
  }

  HolderSearch(Kernel kernel, KernelTable table, LongSupplier nanoTime) {
    this.kernel = kernel;
    this.table = table;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns the holders that were found, within limits of time and number; none if the mount is not
   * in the table any more.
   */
  public Holders holders(MountRef ref) {
    List<MountRecord> all = table.list().records();
    Optional<MountRecord> mount =
        all.stream().filter(each -> each.ref().identity().equals(ref.identity())).findFirst();
    if (mount.isEmpty()) {
      return new Holders(List.of(), 0, true);
    }
    Search search = new Search(kernel, mount.get(), all, nanoTime);
    return search.run();
  }
}

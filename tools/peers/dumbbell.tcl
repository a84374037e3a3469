# The dumbbell of compare.py for ns-2.
#
# Arguments: flows, bit/s of the bottleneck, room in its buffer [packets], initial threshold [packets], two moments
# [s], and 1 to count at every link what leaves it, which takes time. Prints, for each moment, packets delivered,
# processor time [s] and packets that links have served, or -1.
lassign $argv flows rate room threshold early late count
set count [expr {$count eq "1"}]

set ns [new Simulator]
set monitors {}
# Computing routes takes minutes for thousands of hosts.
$ns rtproto Manual

proc join_nodes {a b delay left right} {
    global ns rate count monitors
    $ns duplex-link $a $b $rate $delay DropTail
    $ns queue-limit $a $b $left
    $ns queue-limit $b $a $right
    if {$count} {
        lappend monitors [$ns monitor-queue $a $b ""] [$ns monitor-queue $b $a ""]
    }
}

# Processor time of this process [s].
proc used {} {
    set file [open /proc/self/stat]
    set fields [split [lindex [split [read $file] ")"] end] " "]
    close $file
    return [expr {([lindex $fields 12] + [lindex $fields 13]) / 100.0}]
}

set left [$ns node]
set right [$ns node]
join_nodes $left $right 18ms $room $room
[$left get-module "Manual"] add-route-to-adj-node -default $right
[$right get-module "Manual"] add-route-to-adj-node -default $left

# An interface never drops what its own host sends.
set unlimited 100000000
Agent/TCP set window_ 1000000000
Agent/TCP set packetSize_ 1460
for {set i 0} {$i < $flows} {incr i} {
    set from [$ns node]
    set to [$ns node]
    join_nodes $from $left 1ms $unlimited $unlimited
    join_nodes $right $to 1ms $unlimited $unlimited
    foreach {host router} [list $from $left $to $right] {
        [$host get-module "Manual"] add-route-to-adj-node -default $router
        [$router get-module "Manual"] add-route-to-adj-node $host
    }
    set tcp($i) [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    # Starting resets the threshold.
    $ns at [expr {0.1 * $i / $flows}] "$ftp start; $tcp($i) set ssthresh_ $threshold"
}

proc report {} {
    global flows tcp count monitors
    set packets 0
    for {set i 0} {$i < $flows} {incr i} {
        incr packets [expr {[$tcp($i) set ack_] + 1}]
    }
    set served [expr {$count ? 0 : -1}]
    foreach monitor $monitors {
        incr served [expr {int([$monitor set pdepartures_])}]
    }
    puts "$packets [used] $served"
}

$ns at $early report
$ns at $late "report; exit 0"
$ns run

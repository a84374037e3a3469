# The dumbbell of compare.py for ns-2: flows, bit/s of the bottleneck, room in its buffer [packets], end [s].
lassign $argv flows rate room end

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate 18ms DropTail
$ns queue-limit $left $right $room
$ns queue-limit $right $left $room

Agent/TCP set window_ 1000000000
Agent/TCP set packetSize_ 1460
for {set i 0} {$i < $flows} {incr i} {
    set from [$ns node]
    set to [$ns node]
    # An interface never drops what its own host sends.
    $ns duplex-link $from $left $rate 1ms DropTail
    $ns queue-limit $from $left 100000000
    $ns duplex-link $right $to $rate 1ms DropTail
    $ns queue-limit $right $to 100000000
    set tcp($i) [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr {0.1 * $i / $flows}] "$ftp start"
}

proc finish {} {
    global flows tcp
    set packets 0
    for {set i 0} {$i < $flows} {incr i} {
        incr packets [expr {[$tcp($i) set ack_] + 1}]
    }
    puts $packets
    exit 0
}
$ns at $end "finish"
$ns run
